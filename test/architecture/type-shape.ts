import type { TSType, TSTypeName } from 'oxc-parser';

/** Which members a type has, as far as its own file says. */
export type TypeShape =
  | { kind: 'members'; names: string[] }
  | { kind: 'name'; name: string }
  | { kind: 'unreadable' }
  | { kind: 'all'; of: TypeShape[] }
  | { kind: 'pick' | 'omit'; of: TypeShape; names: string[] };

/** The shape of a type. */
export function shapeOf(type: TSType): TypeShape {
  switch (type.type) {
    case 'TSTypeLiteral':
      return { kind: 'members', names: type.members.flatMap(nameOfMember) };
    case 'TSIntersectionType':
      return { kind: 'all', of: type.types.map(shapeOf) };
    case 'TSParenthesizedType':
      return shapeOf(type.typeAnnotation);
    case 'TSTypeReference':
      return shapeOfReference(nameOf(type.typeName), type.typeArguments?.params ?? []);
    default:
      return { kind: 'unreadable' };
  }
}

function shapeOfReference(name: string, [of, keys]: TSType[]): TypeShape {
  if (of === undefined) return { kind: 'name', name };
  if (name === 'Partial' || name === 'Required' || name === 'Readonly') return shapeOf(of);
  if (keys === undefined || (name !== 'Pick' && name !== 'Omit')) return { kind: 'unreadable' };
  const names = literalsOf(keys);
  if (names.length === 0) return { kind: 'unreadable' };
  return { kind: name === 'Pick' ? 'pick' : 'omit', of: shapeOf(of), names };
}

/** The texts of a union of literals. */
function literalsOf(type: TSType): string[] {
  if (type.type === 'TSUnionType') return type.types.flatMap(literalsOf);
  if (type.type === 'TSParenthesizedType') return literalsOf(type.typeAnnotation);
  if (type.type !== 'TSLiteralType' || type.literal.type !== 'Literal') return [];
  return typeof type.literal.value === 'string' ? [type.literal.value] : [];
}

/** The name of a member of an object type. */
export function nameOfMember(member: { type: string; key?: unknown }): string[] {
  const key = member.key as { type: string; name?: string } | undefined;
  return key?.type === 'Identifier' && key.name !== undefined ? [key.name] : [];
}

function nameOf(name: TSTypeName): string {
  return name.type === 'Identifier' ? name.name : '';
}
