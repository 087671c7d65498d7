import { checkActTexts } from './act-text-rules.ts';
import { checkContents } from './content-rules.ts';
import { checkDependencies } from './dependency-rules.ts';
import { checkDocs } from './doc-rules.ts';
import { checkGit } from './git-rules.ts';
import { checkImports } from './import-rules.ts';
import { checkNames } from './name-rules.ts';
import { checkPaths } from './path-rules.ts';
import { readSourceTree } from './source-tree.ts';
import { checkReasons } from './reason-rules.ts';
import { checkSignatures } from './signature-rules.ts';
import { checkSizes } from './size-rules.ts';
import { checkSmallFiles } from './small-file-rules.ts';
import { checkTables } from './table-rules.ts';
import { checkJsonOut, checkTextCuts } from './text-rules.ts';
import { checkUse } from './use-rules.ts';
import type { Violation } from './violation.ts';

/** Every broken rule in the checkout at `root`, in the order of the files' names. */
export function checkArchitecture(root: string): Violation[] {
  const tree = readSourceTree(root);
  const checks = [
    checkActTexts,
    checkImports,
    checkNames,
    checkContents,
    checkDependencies,
    checkDocs,
    checkGit,
    checkPaths,
    checkReasons,
    checkSignatures,
    checkSizes,
    checkSmallFiles,
    checkTables,
    checkTextCuts,
    checkJsonOut,
    checkUse,
  ];
  return checks
    .flatMap((check) => check(tree))
    .toSorted((a, b) => a.path.localeCompare(b.path, 'en'));
}
