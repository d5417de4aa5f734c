"""The main job: all flights that left New York in 2013, through a broker and back, every record checked."""
