"""What runtimes of models make of the tools' input schemas: the list of tools on the input, refusals on the output."""

import copy
import json
import sys

from agents.strict_schema import ensure_strict_json_schema
from google.genai import types
from llama_grammar import json_schema_to_gbnf
from llguidance import LLMatcher


def llama_cpp(schema):
    json_schema_to_gbnf(json.dumps(schema))


def llguidance(schema):
    error, warnings = LLMatcher.validate_grammar_with_warnings(
        LLMatcher.grammar_from_json_schema(json.dumps(schema)), None
    )
    if error or warnings:
        raise ValueError(error or warnings)


def google_genai(schema):
    types.Schema.from_json_schema(
        json_schema=types.JSONSchema.model_validate(schema), raise_error_on_unsupported_field=True
    )


def openai_agents(schema):
    ensure_strict_json_schema(copy.deepcopy(schema))


refused = []
for tool in json.load(sys.stdin):
    for runtime in (llama_cpp, llguidance, google_genai, openai_agents):
        try:
            runtime(tool["inputSchema"])
        except Exception as error:
            refused.append(f"{runtime.__name__} {tool['name']}: {error}")
print(json.dumps(refused))
