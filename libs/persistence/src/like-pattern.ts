/** A pattern of LIKE that a text matches which has another anywhere in it. */
export const likeContaining = (text: string): string =>
  `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
