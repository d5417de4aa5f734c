package main

import (
	"encoding/binary"
	"hash/crc32"
	"math/rand"
)

// Every value starts with a number that no other record has, the rest is noise that does not compress. The checksum of a
// topic is the sum of the values' CRC32C: it does not depend on the order across partitions, and a record that is lost,
// doubled or changed moves it.

const noiseBytes = 1 << 20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

type payload struct {
	noise []byte
	next  uint64
}

func newPayload(client int, size int) *payload {
	random := rand.New(rand.NewSource(int64(client) + 1))
	noise := make([]byte, noiseBytes+size)
	random.Read(noise)
	return &payload{noise: noise, next: uint64(client) << 40}
}

// fill writes the next value and returns its checksum.
func (p *payload) fill(value []byte) uint64 {
	at := int(p.next*61) & (noiseBytes - 1)
	copy(value, p.noise[at:at+len(value)])
	binary.BigEndian.PutUint64(value, p.next)
	p.next++
	return sum(value)
}

func sum(value []byte) uint64 { return uint64(crc32.Checksum(value, castagnoli)) }
