import {
  bodyBytesMax,
  exampleOf,
  mountPoints,
  type Operation,
  type ProblemCode,
  problemFacts,
  problems,
  scopes,
  tagOf,
  usualDeadlineMs,
} from '@postroom/contracts';
import { samplesOf } from '../code-samples.js';
import { type Page, tableOf, titleOf } from '../page.js';
import { familyPath, operationPage, operationPath, operations } from './reference.js';

/** A table of families, each with what it is about. */
const familyTable = (which: (operation: Operation) => boolean): string =>
  tableOf(
    ['Family', 'About'],
    [...new Set(operations.filter(which).map(({ family }) => family))].map((family) => [
      `[${titleOf(family)}](${familyPath(family)})`,
      tagOf(family).description,
    ]),
  );

const isPublic = ({ audience }: Operation): boolean => audience === 'key';

export function start(guides: readonly Page[]): Page {
  const first = operations.find(({ id }) => id === 'conversations.list');
  const example = first && exampleOf(first);
  // The whole list, of any mailbox.
  const input = { mailbox: example?.input['mailbox'] };
  const requests = first && example ? samplesOf(first, { ...example, input }) : [];
  const { answers = [] } = first ? operationPage(first) : {};
  return {
    path: '/docs',
    title: 'Postroom API',
    summary:
      'Read, triage, draft and send from shared mailboxes over HTTP, with keys that are limited and writes that can be repeated.',
    section: 'start',
    blocks: [
      `A team’s shared mailboxes over HTTP and JSON. Each key has scopes, mailboxes and limits; a write with an
Idempotency-Key is done once, however often it is repeated; and the writes of an AI agent wait for a person.

## First call in five minutes

1. **Take a key.** An administrator makes one in the console under *API keys*, and sees it once. The demo prints some when it starts.
2. **Put it into the environment**, where no command shows it: \`export POSTROOM_API_KEY=…\`
3. **List the conversations of a mailbox** with the command beside this text. The answer is JSON.

[Go on from there](/docs/guides/first-call): comment, repeat safely, send, and have an agent’s write approved.

## Guides

${guides.map(({ path, title, summary }) => `- [${title}](${path}): ${summary}`).join('\n')}

## Reference

${familyTable(isPublic)}

[Events](/docs/events), [errors](/docs/errors) and [limits](/docs/limits) have pages of their own. What members do when they are signed in is [the settings API](/docs/settings).

## For programs and agents

- [llms.txt](/llms.txt) lists these pages as Markdown, and [llms-full.txt](/docs/llms-full.txt) has all of them. Each page is Markdown at its address with \`.md\` behind it.
- [skill.md](/docs/skill.md) is a skill for coding agents.
- [openapi.json](${mountPoints.key}/openapi.json), [asyncapi.json](${mountPoints.key}/asyncapi.json) and [the settings’ openapi.json](/settings/openapi.json) are the machine descriptions.
- \`${mountPoints.key}/mcp\` serves [AI agents over MCP](/docs/guides/mcp).`,
    ],
    requests,
    answers: answers.slice(0, 1),
  };
}

export const settings = (): Page => ({
  path: '/docs/settings',
  title: 'Settings API',
  summary: 'What members do when they are signed in, and how a workspace is set up.',
  section: 'settings',
  blocks: [
    `What members do when they are signed in, and how a workspace is set up: the console uses nothing else. Its routes are below
\`${mountPoints.member}\`, and its machine description is [openapi.json](/settings/openapi.json).

- [\`POST /session\`](/docs/reference/session/create) signs in and sets a cookie, which every other request carries.
- A write whose \`Origin\` is another site’s is refused.
- An error is \`{ error, message, requestId }\`, in English: test \`error\`.
- Below \`${mountPoints.member}/v1\` are the operations of the public API too, with the member’s rights and the errors of this API.

${familyTable((one) => !isPublic(one))}`,
  ],
});

const codes = Object.keys(problems) as ProblemCode[];

/** The whole catalogue, status by status. */
export const errors = (): Page => ({
  path: '/docs/errors',
  title: 'Errors',
  summary: 'Every code that a request may be refused with, and what it means.',
  section: 'more',
  blocks: [
    `Test the status and \`code\`, never the sentence: it is for people, French unless \`Accept-Language\` prefers English, and may change. What to do about each
is in [the guide](/docs/guides/errors). \`requestId\` names the request to support. A method that a path does not have is 404 \`ROUTE_NOT_FOUND\`; 405 is of contacts, calendars, tasks and MCP alone.`,
    ...[...Map.groupBy(codes, (code) => problemFacts(code).status)]
      .toSorted(([one], [other]) => one - other)
      .map(
        ([status, some]) =>
          `## ${status}\n\n${tableOf(
            ['Code', 'Meaning'],
            some.map((code) => [`\`${code}\``, problemFacts(code).en]),
          )}`,
      ),
  ],
});

const bytes = (count: number): string => `${count.toLocaleString('en')} bytes`;

export const limits = (): Page => ({
  path: '/docs/limits',
  title: 'Limits',
  summary: 'Rates, sizes and times that a request is held to.',
  section: 'more',
  blocks: [
    `## Rates

| Who | Requests in any 60 seconds |
| --- | --- |
| a key, but for sends | 120 |
| a key, sends alone, repeats among them | 10 |
| a signed-in member | 600 |

An operator may set others. Every answer says what is left: \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` (seconds). Beyond
it the answer is 429 with \`Retry-After\`: wait, and [repeat with the same Idempotency-Key](/docs/guides/retry-safely).

## Requests

A body has at most ${bytes(bodyBytesMax)} and an operation ${usualDeadlineMs / 1000} s, but for these:

${tableOf(
  ['Operation', 'Body', 'Deadline'],
  operations
    .filter(({ bodyMax, deadlineMs }) => bodyMax !== bodyBytesMax || deadlineMs !== usualDeadlineMs)
    .map((one) => [
      `[${one.id}](${operationPath(one)})`,
      one.upload ? 'any length' : bytes(one.bodyMax),
      `${one.deadlineMs / 1000} s`,
    ]),
)}

The bounds of each field stand in the [reference](/docs#reference).

## Scopes

${tableOf(
  ['Scope', 'Grants'],
  Object.entries(scopes).map(([scope, grants]) => [`\`${scope}\``, grants]),
)}`,
  ],
});
