"""Record files: one function a format; :func:`read_record` and :func:`read_suite` recognise them."""

from hamex.motion.records.read import read_record
from hamex.motion.records.suite import FileStatus, Suite, read_suite

__all__ = ["FileStatus", "Suite", "read_record", "read_suite"]
