/** A table of text, columns separated by two spaces, with what does not fit into a column's width in further lines. */
export function table(
  columns: readonly { readonly title: string; readonly width: number }[],
  rows: readonly (readonly string[])[],
): string {
  const lines = (cells: readonly string[]): string[] => {
    const wrapped = columns.map(({ width }, index) => wrap(cells[index] ?? '', width));
    const height = Math.max(...wrapped.map(({ length }) => length));
    return Array.from({ length: height }, (_, line) =>
      columns
        .map(({ width }, index) => (wrapped[index]?.[line] ?? '').padEnd(width))
        .join('  ')
        .trimEnd(),
    );
  };
  const rule = columns.map(({ width }) => '─'.repeat(width)).join('  ');
  return [...lines(columns.map(({ title }) => title)), rule, ...rows.flatMap(lines)].join('\n');
}

/** Lines of at most `width` characters, broken between words where possible. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).flatMap((each) => each.match(new RegExp(`.{1,${width}}`, 'gu')) ?? [])) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (longer.length <= width) {
      line = longer;
      continue;
    }
    lines.push(line);
    line = word;
  }
  return [...lines, line];
}
