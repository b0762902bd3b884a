"""Verification: cases with known answers as data, a module for each chapter, and the one runner of them all."""

from hamex.verify.case import CHAPTERS, Case, Result, cases, run, summary

__all__ = ["CHAPTERS", "Case", "Result", "cases", "run", "summary"]
