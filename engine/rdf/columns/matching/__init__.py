"""Graph patterns on a whole batch: joins, filters and the rest over columns of ids."""
