"""Kernels: functions from arrays to arrays; `reference` defines the result, the others match its bytes."""
