import { isProductFile, type SourceTree } from './source-tree.ts';
import type { Violation } from './violation.ts';

const CODES = 'shared/src/api/work/reason-code.ts';
const CATALOGUE = 'shared/src/reasons/reason-catalogue.ts';
/** Conditions on the text of a reason, which is for people alone. */
const branches = [
  /\b(?:issue|row|attempt|pause)\??\.(?:reason|error_message|errorMessage)\s*[!=]==(?!\s*null\b)/,
  /\b(?:reason|error_message|errorMessage)\??\.(?:startsWith|endsWith|includes|match|search)\(/,
  /\.test\((?:\w+\.)?(?:reason|error_message|errorMessage)\)/,
];
const mayBranch: readonly (readonly [path: string, why: string])[] = [
  ['control-plane/src/dispatch/store-waiting-reason.ts', 'only whether the same is stored already'],
  [
    'control-plane/src/integrations/github/tracker/transition.ts',
    "GitHub's own state_reason, a code",
  ],
];

/** Checks that decisions read the code of a reason, and that no code is without a place. */
export function checkReasons(tree: SourceTree): Violation[] {
  const sources = tree.files.filter(({ path }) => isProductFile(path));
  const read = sources
    .filter(({ path }) => !path.startsWith('runner/'))
    .filter(({ path }) => !mayBranch.some(([known]) => known === path))
    .filter(({ text }) => branches.some((pattern) => pattern.test(text)))
    .map(({ path }) => ({
      rule: 'reason',
      path,
      message:
        'decides by the text of a reason; use its code, see shared/src/api/work/reason-code.ts',
    }));
  const declared = sources.find(({ path }) => path === CODES)?.text ?? '';
  const codes = [...declared.matchAll(/^ {4}'([a-z_]+)',$/gm)].map(([, code = '']) => code);
  const users = sources.filter(({ path }) => path !== CODES && path !== CATALOGUE);
  const unused = codes
    .filter((code) => !users.some(({ text }) => text.includes(`'${code}'`)))
    .map((code) => ({ rule: 'reason', path: CODES, message: `nothing gives the reason ${code}` }));
  return [...read, ...unused];
}
