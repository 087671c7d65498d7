/** One argument for a shell: quoted where it has more than plain characters. */
export function quoteWord(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/**
 * How a person starts a command of Switchyard here: `switchyard open --url …` where it is
 * installed, `npm run open -- --url …` in a checkout, whose scripts set an environment variable for
 * that.
 *
 * @param command name and arguments, for example `runner join URL`
 * @param env the process's environment
 */
export function commandText(
  command: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  if (env['SWITCHYARD_CHECKOUT'] === undefined) return `switchyard ${command}`;
  const [name = '', ...rest] = command.split(' ');
  const script = name === 'start' ? 'npm start' : `npm run ${name}`;
  return rest.length === 0 ? script : `${script} -- ${rest.join(' ')}`;
}
