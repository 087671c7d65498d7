import { isTestFile, type SourceTree } from './source-tree.ts';
import type { Violation } from './violation.ts';

/**
 * Files of the runner that may open paths, with what makes each path one that no agent could write.
 * Whatever an agent could write goes through agent-files/, or is done in a container.
 */
const mayOpenPaths: readonly (readonly [path: RegExp, reason: string])[] = [
  [/^agent-files\/(folder-handle|with-folder)\.ts$/, 'single names below open folders'],
  [
    /^attempt\/mounts\/engine-home\.ts$/,
    'names in homes/ and sessions/, which only this host writes',
  ],
  [/^attempt\/session\/restore-work\.ts$/, 'names in workspaces/ and sessions/'],
  [/^attempt\/session\/pack-live-session\.ts$/, 'a file in temporary/ that this host wrote'],
  [/^attempt\/tools\/tool-socket\.ts$/, 'a socket in egress/, which only this user opens'],
  [/^engine-check\/check-(bench|engine-command)\.ts$/, 'a new folder for one run'],
  [/^workspace\/disk\/free-room\.ts$/, 'the file system of the data folder'],
  [/^attempt\/session\/attempt-proxies\.ts$/, 'access folders, which containers see read-only'],
  [/^calls\/remove-idle-workspace\.ts$/, 'names in workspaces/, links not followed'],
  [/^workspace\/disk\/own-tree\.ts$/, 'the folder beside, links not followed'],
  [/^operator\/(operator-home|test-turn)\.ts$/, 'names in sessions/ and operator/'],
  [
    /^workspace\/(disk\/(contained-path|remove-tree)|prepare-workspace)\.ts$/,
    'names in workspaces/',
  ],
  [/^workspace\/(open-workspaces|workspace-record|git\/git)\.ts$/, 'own folders'],
  [
    /^workspace\/mirror\/(mirror|prune-attempt-refs|collect-garbage|count-objects|repack-mirror|clear-stale-drafts)\.ts$/,
    'mirrors: host git alone',
  ],
  [/^maintenance\/mirror-maintenance\.ts$/, 'names in mirrors/'],
  [
    /^workspace\/clone\/(make-clone|snapshot-of-warm-checkout)\.ts$/,
    'drafts that no agent has seen',
  ],
  [/^workspace\/submodules\/check-out-submodules\.ts$/, 'drafts that no agent has seen'],
  [/^workspace\/disk\/snapshots\.ts$/, 'the file system of the data folder'],
  [/^workspace\/git\/local-remotes\//, 'folders that the operator named, none of a runner'],
  [/^workspace\/git\/clear-stale-locks\.ts$/, 'mirrors: host git alone'],
  [/^workspace\/lfs\/lfs-paths\.ts$/, 'an index of a mirror in temporary/'],
  [/^workspace\/lfs\/collect-objects\.ts$/, 'output in temporary/ that this host wrote'],
  [
    /^(workspace\/lfs\/(store-object|prune-objects)|attempt\/mounts\/workspace-mounts)\.ts$/,
    'objects beside a mirror, which containers see read-only',
  ],
  [/^workspace\/lfs-host\/lfs-host\.ts$/, 'certificates of this host'],
  [
    /^workspace\/mirror\/serve-mirror\.ts$/,
    'a folder in temporary/, which containers see read-only',
  ],
  [/^workspace\/(objects\/snapshot|objects\/import-bundle|git\/run-process)\.ts$/, 'own bundles'],
  [/^workspace\/setup-caches\.ts$/, 'names in caches/; what is in them is only walked'],
  [/^engine\/parts\//, 'the folder of installed engines, before any agent runs'],
  [/^container\/output-file\.ts$/, 'a new file in temporary/, named by this host'],
  [/^container\/docker\//, 'the image that this host builds'],
  [/^container\/process\//, 'state of plain processes, from which nothing is protected'],
  [/^(egress|connection|engine\/codex)\//, "this runner's own files, and those of its machine"],
  [/^shell\/read-shell-program\.ts$/, 'programs of this product, beside its sources'],
  [/^sandbox\/choose-sandbox\.ts$/, 'the data folder itself'],
  [/^[^/]+\.ts$/, 'identity, machine and data folder'],
];

/** Finds runner files that open paths and are not known to open only this host's own. */
export function checkPaths(tree: SourceTree): Violation[] {
  const prefix = 'runner/src/';
  return tree.files
    .filter(({ path }) => path.startsWith(prefix) && !isTestFile(path))
    .filter(({ imports }) => imports.some(({ specifier }) => /^(node:)?fs(\/|$)/.test(specifier)))
    .filter(({ path }) => !mayOpenPaths.some(([known]) => known.test(path.slice(prefix.length))))
    .map(({ path }) => ({
      rule: 'paths',
      path,
      message:
        'opens paths: use agent-files/ for what an agent could write, or add the reason to test/architecture/path-rules.ts and docs/security.md',
    }));
}
