import {
  type BindingPattern,
  type ParamPattern,
  parseSync,
  type TSTypeAnnotation,
  Visitor,
} from 'oxc-parser';
import { nameOfMember, shapeOf, type TypeShape } from './type-shape.ts';

/** One import, re-export, `import()` or `new URL('./x', import.meta.url)` of a file. */
export type ImportEdge = {
  specifier: string;
  /** Erased before the program runs. */
  typeOnly: boolean;
};

/** A function, method or type of one with more than one parameter. */
export type Signature = {
  /** Where it begins in the text. */
  start: number;
  parameters: number;
  /** The first parameter that is a boolean, as it is written; an assertion's condition is none. */
  flag: string | null;
};

/** A parameter through which a function gets what it works with. */
export type DependencyParameter = { start: number; shape: TypeShape };

export type SourceFile = {
  /** Relative to the root, with forward slashes. */
  path: string;
  text: string;
  lines: number;
  imports: ImportEdge[];
  /** Names of `vi` methods that are called, for example `mock`. */
  viCalls: string[];
  /** True when every statement passes on another module's exports. */
  isBarrel: boolean;
  /** Names that it exports of its own, types included. */
  exports: string[];
  /** Names of its variables, parameters, functions and imports. */
  declared: string[];
  signatures: Signature[];
  dependencyParameters: DependencyParameter[];
  /** Types that it declares, by name. */
  types: Map<string, TypeShape>;
  /** Where each imported name is from, and its name there. */
  importedNames: Map<string, { specifier: string; name: string }>;
};

/** Reads a file's imports from its syntax tree. Throws when it does not parse. */
export function parseSource(path: string, text: string): SourceFile {
  const { program, module, errors } = parseSync(path, text);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${path}: ${error.message}`);
  const imports: ImportEdge[] = [];
  const importedNames: SourceFile['importedNames'] = new Map();
  for (const { moduleRequest, entries } of module.staticImports) {
    for (const { importName, localName } of entries)
      importedNames.set(localName.value, {
        specifier: moduleRequest.value,
        name: importName.name ?? 'default',
      });
    const typeOnly = entries.length > 0 && entries.every((entry) => entry.isType);
    imports.push({ specifier: moduleRequest.value, typeOnly });
  }
  const exports = module.staticExports.flatMap(({ entries }) =>
    entries
      .filter(({ moduleRequest }) => moduleRequest === null)
      // Only a default export has no name of its own.
      .map(({ exportName }) => exportName.name ?? 'default'),
  );
  for (const { entries } of module.staticExports) {
    const [first] = entries;
    if (!first?.moduleRequest) continue;
    const typeOnly = entries.every((entry) => entry.isType);
    imports.push({ specifier: first.moduleRequest.value, typeOnly });
  }
  const viCalls: string[] = [];
  const signatures: Signature[] = [];
  const dependencyParameters: DependencyParameter[] = [];
  const types: SourceFile['types'] = new Map();
  const declared = [...importedNames.keys()];
  visitNodes(program, text, {
    imports,
    viCalls,
    signatures,
    dependencyParameters,
    types,
    declared,
  });
  const isBarrel =
    program.body.length > 0 &&
    program.body.every(
      (statement) =>
        statement.type === 'ExportAllDeclaration' ||
        (statement.type === 'ExportNamedDeclaration' && statement.source !== null),
    );
  const lines = text.split('\n').length;
  const found = { imports, viCalls, isBarrel, exports, declared, signatures };
  return { path, text, lines, ...found, dependencyParameters, types, importedNames };
}

function visitNodes(
  program: ReturnType<typeof parseSync>['program'],
  text: string,
  found: Omit<SourceFile, 'path' | 'text' | 'lines' | 'isBarrel' | 'exports' | 'importedNames'>,
): void {
  const { imports, viCalls, signatures, dependencyParameters, types, declared } = found;
  const addFunction = (node: FunctionNode) => {
    addSignature(node);
    dependencyParameters.push(...node.params.flatMap(dependenciesOf));
  };
  const addSignature = ({ start, id, params, returnType }: FunctionNode) => {
    declared.push(...(id ? [id.name] : []), ...params.flatMap(namesIn));
    if (params.length < 2) return;
    const flag = isAssertion(returnType) ? undefined : params.find(isFlag);
    signatures.push({
      start,
      parameters: params.length,
      flag: flag === undefined ? null : text.slice(flag.start, flag.end),
    });
  };
  const add = (source: { type: string }, { typeOnly }: Pick<ImportEdge, 'typeOnly'>) => {
    const specifier = literalText(source);
    if (specifier !== null) imports.push({ specifier, typeOnly });
  };
  new Visitor({
    FunctionDeclaration: addFunction,
    FunctionExpression: addFunction,
    ArrowFunctionExpression: addFunction,
    TSTypeAliasDeclaration: ({ id, typeAnnotation }) =>
      void types.set(id.name, shapeOf(typeAnnotation)),
    TSInterfaceDeclaration({ id, body, extends: parents }) {
      const own: TypeShape = { kind: 'members', names: body.body.flatMap(nameOfMember) };
      const inherited = parents.map(({ expression }): TypeShape =>
        expression.type === 'Identifier'
          ? { kind: 'name', name: expression.name }
          : { kind: 'unreadable' },
      );
      types.set(id.name, { kind: 'all', of: [own, ...inherited] });
    },
    VariableDeclarator: ({ id }) => void declared.push(...namesIn(id)),
    CatchClause: ({ param }) => void declared.push(...(param ? namesIn(param) : [])),
    TSDeclareFunction: addSignature,
    TSEmptyBodyFunctionExpression: addSignature,
    TSMethodSignature: addSignature,
    TSCallSignatureDeclaration: addSignature,
    TSConstructSignatureDeclaration: addSignature,
    TSFunctionType: addSignature,
    TSConstructorType: addSignature,
    ImportExpression: (node) => add(node.source, { typeOnly: false }),
    TSImportType: (node) => add(node.source, { typeOnly: true }),
    NewExpression(node) {
      const [target] = node.arguments;
      if (node.callee.type !== 'Identifier' || node.callee.name !== 'URL' || !target) return;
      if (literalText(target)?.startsWith('.')) add(target, { typeOnly: false });
    },
    CallExpression({ callee }) {
      if (callee.type !== 'MemberExpression' || callee.computed) return;
      if (callee.object.type !== 'Identifier' || callee.object.name !== 'vi') return;
      viCalls.push(callee.property.name);
    },
  }).visit(program);
}

type FunctionNode = {
  start: number;
  id?: { name: string } | null;
  params: ParamPattern[];
  returnType?: TSTypeAnnotation | null | undefined;
};

/** The names that a pattern declares; a parameter property declares that of its parameter. */
function namesIn(pattern: BindingPattern | ParamPattern): string[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern.name];
    case 'ObjectPattern':
      return pattern.properties.flatMap((each) =>
        namesIn(each.type === 'RestElement' ? each.argument : each.value),
      );
    case 'ArrayPattern':
      return pattern.elements.flatMap((each) =>
        each === null ? [] : namesIn(each.type === 'RestElement' ? each.argument : each),
      );
    case 'AssignmentPattern':
      return namesIn(pattern.left);
    case 'RestElement':
      return namesIn(pattern.argument);
    case 'TSParameterProperty':
      return namesIn(pattern.parameter);
  }
}

/** A parameter with dependencies: it is named `deps`, or a name in its type ends in `Deps`. */
function dependenciesOf(parameter: ParamPattern): DependencyParameter[] {
  if (parameter.type === 'AssignmentPattern') return dependenciesOf(parameter.left);
  if (!('typeAnnotation' in parameter) || !parameter.typeAnnotation) return [];
  const isNamed = parameter.type === 'Identifier' && parameter.name === 'deps';
  const shape = shapeOf(parameter.typeAnnotation.typeAnnotation);
  return isNamed || namesDeps(shape) ? [{ start: parameter.start, shape }] : [];
}

function namesDeps(shape: TypeShape): boolean {
  if (shape.kind === 'members' || shape.kind === 'unreadable') return false;
  if (shape.kind === 'name') return shape.name.endsWith('Deps');
  return shape.kind === 'all' ? shape.of.some(namesDeps) : namesDeps(shape.of);
}

/** Whether it says `asserts x`: that a condition comes first is known of such a function. */
function isAssertion(returnType: FunctionNode['returnType']): boolean {
  const type = returnType?.typeAnnotation;
  return type?.type === 'TSTypePredicate' && type.asserts;
}

/** Whether a parameter is declared a boolean, or is one by its default. */
function isFlag(parameter: ParamPattern): boolean {
  if (parameter.type === 'AssignmentPattern') {
    const { left, right } = parameter;
    return isFlag(left) || (right.type === 'Literal' && typeof right.value === 'boolean');
  }
  return (
    'typeAnnotation' in parameter &&
    parameter.typeAnnotation?.typeAnnotation.type === 'TSBooleanKeyword'
  );
}

function literalText(node: { type: string; value?: unknown }): string | null {
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : null;
}
