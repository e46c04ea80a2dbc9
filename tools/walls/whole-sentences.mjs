/**
 * Comments are whole sentences: one that begins with `Of`, `Who` or `Where` is nearly always a clause without
 * a verb of its own ("What a server answered."), and a noun says it shorter ("The answer of a server."). The
 * rule goes by the first word; only questions may begin so. It also reads the `--` comments of SQL in a template.
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
      TemplateElement(node) {
        for (const text of sqlComments(node.value.raw)) {
          const start = fragmentIn(text);
          if (start) context.report({ node, messageId: 'fragment', data: { start } });
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

/** The texts of the comments in SQL: lines that begin with `--`, joined where one follows another. */
export function sqlComments(sql) {
  const texts = [];
  let isOpen = false;
  for (const line of sql.split('\n')) {
    const [, text] = /^\s*--\s+(.*)$/.exec(line) ?? [];
    if (text !== undefined && isOpen) texts.push(`${texts.pop()} ${text}`);
    else if (text !== undefined) texts.push(text);
    isOpen = text !== undefined;
  }
  return texts;
}

/** The first word of a text that begins with a fragment, else undefined. */
export function fragmentIn(text) {
  const [word] = /^(?:Of|Who|Whose|Whom|What|Where|Which|Whether|How)\b/.exec(text) ?? [];
  const [sentence] = /^.*?[.?!:](?= |$)/.exec(text) ?? [text];
  return sentence.endsWith('?') ? undefined : word;
}
