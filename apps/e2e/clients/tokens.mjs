// The tokens of what stands on the input, as OpenAI's models since GPT-4o count them.
import { text } from 'node:stream/consumers';
import { Tiktoken } from 'js-tiktoken/lite';
import ranks from 'js-tiktoken/ranks/o200k_base';

console.log(new Tiktoken(ranks).encode(await text(process.stdin)).length);
