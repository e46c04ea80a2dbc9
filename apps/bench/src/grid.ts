/** Lines of cells as columns for a terminal, below a head. */
export function grid(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(...[head, ...lines].map((cells) => (cells[column] ?? title).length)),
  );
  return [head, widths.map((width) => '-'.repeat(width)), ...lines]
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
