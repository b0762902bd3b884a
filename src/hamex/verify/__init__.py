"""Verification: cases with known answers as data, a module for each chapter, and the one runner of them all."""

from hamex.verify.case import Case, Result, cases, chapters, run, summary

__all__ = ["Case", "Result", "cases", "chapters", "run", "summary"]
