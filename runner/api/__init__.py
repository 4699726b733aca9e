"""What `import runner` offers. Everything here is imported when it is first used."""
