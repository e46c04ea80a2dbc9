/** Labels of a conversation, at most. */
export const labelsMax = 500;
