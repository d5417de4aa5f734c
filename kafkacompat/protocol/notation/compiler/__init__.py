"""From the notation to Python source: `schema` reads it, `decoder` and `encoder` write functions, `module` files."""
