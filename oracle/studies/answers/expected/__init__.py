"""What was to be expected: settings of engines, schedules of evaluations, snapshots."""
