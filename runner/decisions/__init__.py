"""From runs to decisions: compare, gate, choose."""
