"""The demo: writes all flights that left New York in 2013 to a broker, reads them back, and checks every record."""
