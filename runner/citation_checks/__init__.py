"""Whether served answers cite what they were made from: records read, citations checked, rates reported."""
