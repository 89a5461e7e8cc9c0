"""Runs a shell command in the process group of the program that started this one.

`pkd store deliver` gives its listener a group of its own. A crash kills one group, and both must die in it.
"""
import os, sys

os.setpgid(0, os.getpgid(os.getppid()))
os.execlp("sh", "sh", "-c", sys.argv[1])
