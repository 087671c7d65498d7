import { posix } from 'node:path';
import { findCycles } from './find-cycles.ts';
import { isTestFile, type Edge, type SourceTree } from './source-tree.ts';
import type { Violation } from './violation.ts';

const core = 'control-plane/src/';
const platform = 'control-plane/src/platform/';
const integrations = 'control-plane/src/integrations/';
/** What only Node can do, for the runner, the command line and the service on Node alike. */
const host = 'shared/src/host/';
/** Programs around the core: the command line with its demo, and the provider that plays a model. */
const programs = ['control-plane/cli/', 'control-plane/scripted-provider/'];
/**
 * What an integration may use besides its own folder, shared and the core's own files: the ports it
 * implements, what every mutation writes into, how an operation is defined, and the configuration.
 */
const ports = [
  `${core}ports/`,
  `${core}pull-requests/rows/`,
  `${core}issues/rows/`,
  `${core}db/`,
  `${core}http/caller/`,
  `${core}http/endpoint/`,
  `${core}observe/audit/`,
  `${core}observe/events/`,
  `${core}config/`,
];

/** Of the configuration, what no integration sees: it is handed the secrets that it may use. */
const secrets = `${core}config/secrets/`;

type EdgeRule = { rule: string; message: string; forbids(edge: Edge): boolean };

/** Rules about who may import whom; tests stand outside the product's graph. */
const edgeRules: EdgeRule[] = [
  {
    rule: 'decide',
    message: "decide.ts imports only shared, other decisions and its own feature's types",
    forbids: ({ from, to, typeOnly }) =>
      isDecide(from) &&
      !to.startsWith('shared/') &&
      !isDecide(to) &&
      !(posix.dirname(from) === posix.dirname(to) && typeOnly),
  },
  {
    rule: 'routes',
    message: "a feature never imports another feature's routes",
    forbids: ({ from, to }) =>
      // A platform may serve a part of the routes in an object of its own.
      !from.startsWith(platform) &&
      /(^|[/-])routes\.ts$/.test(to) &&
      !to.startsWith(`${posix.dirname(from)}/`),
  },
  {
    rule: 'platform',
    message: 'only the programs import platform/, and one platform never another',
    forbids: ({ from, to }) =>
      to.startsWith(platform) &&
      !programs.some((program) => from.startsWith(program)) &&
      (!from.startsWith(platform) || platformOf(from) !== platformOf(to)),
  },
  {
    rule: 'adapter',
    message: 'an integration never imports a feature',
    forbids: ({ from, to }) =>
      from.startsWith(integrations) &&
      to.startsWith(core) &&
      !to.startsWith(integrations) &&
      `${posix.dirname(to)}/` !== core &&
      (to.startsWith(secrets) || !ports.some((port) => to.startsWith(port))),
  },
  {
    rule: 'shared',
    message: 'shared imports no other workspace',
    forbids: ({ from, to }) => from.startsWith('shared/') && !to.startsWith('shared/'),
  },
  {
    rule: 'host',
    message: 'only programs on Node and platform/node/ import shared/src/host/',
    forbids: ({ from, to }) =>
      to.startsWith(host) &&
      ![host, 'runner/', `${platform}node/`, ...programs].some((each) => from.startsWith(each)),
  },
  {
    rule: 'runner',
    message: 'the runner never imports the control plane or the dashboard',
    forbids: ({ from, to }) =>
      from.startsWith('runner/') && !to.startsWith('runner/') && !to.startsWith('shared/'),
  },
  {
    rule: 'control-plane',
    message: 'the core imports only itself and shared',
    forbids: ({ from, to }) =>
      from.startsWith(core) && !to.startsWith(core) && !to.startsWith('shared/'),
  },
  {
    rule: 'dashboard',
    message: "the dashboard takes only `import type` of the control plane's app, and shared",
    forbids: ({ from, to, typeOnly }) =>
      from.startsWith('dashboard/src/') &&
      !to.startsWith('dashboard/') &&
      !to.startsWith('shared/') &&
      !(to.startsWith(core) && typeOnly),
  },
];

/** Checks the import graph of the product (not of its tests). */
export function checkImports(tree: SourceTree): Violation[] {
  const edges = tree.edges.filter((edge) => !isTestFile(edge.from));
  const broken = edgeRules.flatMap(({ rule, message, forbids }) =>
    edges
      .filter(forbids)
      .map(({ from, to }) => ({ rule, path: from, message: `imports ${to}: ${message}` })),
  );
  return [...broken, ...checkDecidePackages(tree), ...checkTestImports(tree), ...cycles(edges)];
}

function cycles(edges: readonly Edge[]): Violation[] {
  return findCycles(edges).map(({ nodes, imports }) => ({
    rule: 'acyclic',
    path: nodes[0] ?? '',
    message: `imports go round: ${nodes.join(' → ')} (${imports
      .map(({ from, to }) => `${from} imports ${to}`)
      .join(', ')})`,
  }));
}

/** Packages are no part of the graph, and a pure function needs none. */
function checkDecidePackages({ files }: SourceTree): Violation[] {
  return files
    .filter((file) => isDecide(file.path))
    .flatMap((file) =>
      file.imports
        .filter(({ specifier }) => !/^(\.|@switchyard\/)/.test(specifier))
        .map(({ specifier }) => ({
          rule: 'decide',
          path: file.path,
          message: `imports ${specifier}: decide.ts imports only shared, other decisions and its own feature's types`,
        })),
    );
}

function checkTestImports({ edges }: SourceTree): Violation[] {
  return edges
    .filter(({ from, to }) => !isTestFile(from) && isTestFile(to))
    .map(({ from, to }) => ({
      rule: 'tests',
      path: from,
      message: `imports ${to}: the product never imports test code`,
    }));
}

function platformOf(path: string): string {
  return path.slice(platform.length).split('/')[0] ?? '';
}

function isDecide(path: string): boolean {
  return /^decide(-[a-z-]+)?\.ts$/.test(posix.basename(path)) && path.startsWith(core);
}
