/** Reads a corpus: a command a line, or between lines of three double quotes. */
export function readCorpus(text: string): string[] {
  const commands: string[] = [];
  let block: string[] | undefined;
  for (const line of text.split('\n')) {
    if (line === '"""') {
      if (block) commands.push(block.join('\n'));
      block = block ? undefined : [];
    } else if (block) block.push(line);
    else if (line !== '') commands.push(line);
  }
  return commands;
}
