"""Fault rules as data: requests that match a rule are answered with an error, late, or not at all (docs/faults.md).

How the modules build on each other:

- `reading.py` reads plain dicts and collects mistakes, `rule.py` makes a `Rule` of one: its selectors (`selectors.py`),
  its action (`actions.py` and the modules that it lists), its limits and counts.
- `shapes.py` knows, for each API and version, the entities of a request (topics, partitions, groups, ...) and where its
  response answers each of them. It is derived from the notation. `joining.py` takes entities out of requests, and joins
  their errors with the answers to the others.
- `gate.py` lets requests pass that no rule can match. `matcher.py` finds the rules that match one. `step.py` is the
  step of the pipeline that carries them out. `rules.py` keeps the rules of one node: the first one adds the step, the
  last one removes it.

To add an action: write a class with the methods of `Action` (`action.py`), with a `read(reader)` that makes it from its
part of the rule, and add it to `ACTIONS` in `actions.py`. An action for whole requests gets the `Turn` of the request:
it calls `turn.proceed(...)` and `turn.answer(...)`, now or in a later event of the loop (`turn.later`). One that
changes bytes on their way to the client calls `turn.connection.treat_bytes`, see `byte_actions.py`.
"""
