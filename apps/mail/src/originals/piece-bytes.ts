/** How much of a large message is written and read at a time. */
export const pieceBytes = 256 * 1024;
