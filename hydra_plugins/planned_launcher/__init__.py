"""A Hydra launcher that plans all jobs of a sweep before it runs any."""
