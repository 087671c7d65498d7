const COMMAND_ENDS = /\n|;|&&|\|\||\||&/;
const GIT = /^[({]*(?:\S*\/)?git$/;
/**
 * Words with which a script names the folder that its hook starts in (`.`, `$PWD` …), also with
 * closing parentheses.
 */
const HERE = /^(?:\.\/?|\$PWD|\$\{PWD\}|\$\(pwd\))\)*$/;
const NO_ARGUMENT = /^(?:\}|\d?[<>].*)?$/;

/**
 * Whether a hook's text clones a repository into the workspace itself (`git clone … .`), which must
 * then be empty. Only the text is checked; its meaning for a shell is unknown.
 */
export function clonesIntoWorkspace(script: string): boolean {
  return script
    .replaceAll(/\\\r?\n/g, ' ')
    .split(COMMAND_ENDS)
    .some((command) => {
      const args = command
        .replace(/(^|\s)#.*$/, '')
        .replaceAll(/["']/g, '')
        .split(/\s+/);
      const git = args.findIndex((word) => GIT.test(word));
      const clone = git < 0 ? -1 : args.indexOf('clone', git);
      if (clone < 0) return false;
      const given = args.slice(clone + 1).filter((word) => !NO_ARGUMENT.test(word));
      return given.length > 1 && HERE.test(given.at(-1) ?? '');
    });
}
