"""Record files: one module a format; :func:`read_record` and :func:`read_suite` recognise them."""

from hamex.motion.records.read import read_record
from hamex.motion.records.suite import Status, Suite, read_suite

__all__ = ["Status", "Suite", "read_record", "read_suite"]
