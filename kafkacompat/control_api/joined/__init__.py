"""Nodes in several processes behind one control API: each route is answered by one of them or joined from all."""
