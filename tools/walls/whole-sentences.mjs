/**
 * Comments are whole sentences: one that begins with `Of`, `Who` or `What` is nearly always a clause without
 * a verb of its own ("What a server answered."), and a noun says it shorter ("The answer of a server."). The
 * rule goes by the first word. Questions may begin so, and so may a clause with `Where` that a main clause
 * follows after a comma.
 */
export const wholeSentences = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: {
      fragment:
        'A comment is a whole sentence, or names what it describes by a noun: "{{start}} …" is neither.',
    },
  },
  create(context) {
    return {
      Program() {
        const comments = context.sourceCode.getAllComments();
        for (const [index, comment] of comments.entries()) {
          if (continues(comment, comments[index - 1])) continue;
          const start = fragmentIn(textOf(comment));
          if (start) context.report({ loc: comment.loc, messageId: 'fragment', data: { start } });
        }
      },
    };
  },
};

/** A line comment right below another one is the same text. */
const continues = (comment, before) =>
  comment.type === 'Line' &&
  before?.type === 'Line' &&
  before.loc.start.line === comment.loc.start.line - 1 &&
  before.loc.start.column === comment.loc.start.column;

const textOf = ({ value }) =>
  value
    .replace(/^\s*\*/gm, '')
    .replace(/\s+/g, ' ')
    .trim();

/** The first word of a text that begins with a fragment, else undefined. */
function fragmentIn(text) {
  const [word] = /^(?:Of|Who|Whose|Whom|What|Where|Which|Whether|How)\b/.exec(text) ?? [];
  const [sentence] = /^.*?[.?!:](?= |$)/.exec(text) ?? [text];
  if (sentence.endsWith('?') || (word === 'Where' && sentence.includes(','))) return undefined;
  return word;
}
