"""WHAT SHAKES IT: ground motions, loads, pulses."""
