import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  getNamedType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';

const PROPERTY = 0.1;
const OBJECT = 1;
const DEFAULT_PAGE = 50;
/** What a connection holds once, not once for each row. */
const ONCE = new Set(['pageInfo', '__typename']);

type Asked = {
  schema: GraphQLSchema;
  variables: Record<string, unknown>;
  fragments: Map<string, FragmentDefinitionNode>;
};

/**
 * What a query costs by Linear's published rule: 0.1 a property, 1 an object, the rows of a
 * connection as often as a page has of them (50 where it does not say), rounded up at the end.
 */
export function queryComplexity(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Record<string, unknown>,
): number {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const each of document.definitions)
    if (each.kind === Kind.FRAGMENT_DEFINITION) fragments.set(each.name.value, each);
  const asked = { schema, variables, fragments };
  let points = 0;
  for (const each of document.definitions) {
    if (each.kind !== Kind.OPERATION_DEFINITION) continue;
    const root = schema.getRootType(each.operation);
    if (root) points += ofSelection(asked, root, each.selectionSet);
  }
  // Tenths do not add up exactly.
  return Math.ceil(Math.round(points * 10) / 10);
}

function ofSelection(
  asked: Asked,
  type: GraphQLObjectType,
  { selections }: SelectionSetNode,
): number {
  let points = 0;
  for (const each of selections) {
    if (each.kind === Kind.FIELD) points += ofField(asked, type, each);
    else if (each.kind === Kind.INLINE_FRAGMENT)
      points += ofSelection(asked, type, each.selectionSet);
    else {
      const fragment = asked.fragments.get(each.name.value);
      if (fragment !== undefined) points += ofSelection(asked, type, fragment.selectionSet);
    }
  }
  return points;
}

function ofField(asked: Asked, parent: GraphQLObjectType, node: FieldNode): number {
  const field = parent.getFields()[node.name.value];
  const type = field === undefined ? undefined : getNamedType(field.type);
  if (!isObjectType(type) || node.selectionSet === undefined) return PROPERTY;
  if (!type.name.endsWith('Connection'))
    return OBJECT + ofSelection(asked, type, node.selectionSet);
  const rows = pageSize(asked, field, node);
  let points = OBJECT;
  for (const each of node.selectionSet.selections) {
    const part = ofSelection(asked, type, { kind: Kind.SELECTION_SET, selections: [each] });
    const isOnce = each.kind === Kind.FIELD && ONCE.has(each.name.value);
    points += isOnce ? part : rows * part;
  }
  return points;
}

function pageSize(
  { variables }: Asked,
  field: GraphQLField<unknown, unknown> | undefined,
  { arguments: given = [] }: FieldNode,
): number {
  for (const name of ['first', 'last']) {
    if (!field?.args.some((each) => each.name === name)) continue;
    const value = given.find((each) => each.name.value === name)?.value;
    if (value?.kind === Kind.INT) return Number(value.value);
    if (value?.kind === Kind.VARIABLE) {
      const variable = variables[value.name.value];
      if (typeof variable === 'number') return variable;
    }
  }
  return DEFAULT_PAGE;
}
