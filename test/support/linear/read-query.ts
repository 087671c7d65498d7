import { type DocumentNode, GraphQLError, parse, validate } from 'graphql';
import { linearSchema } from './linear-schema.ts';

type Read = { document: DocumentNode } | { errors: readonly GraphQLError[] };

/** Queries are constant texts, few in number. */
const known = new Map<string, Read>();

/** A query that was held against the schema; each text once, because that takes longest. */
export function readQuery(text: string): Read {
  const before = known.get(text);
  if (before !== undefined) return before;
  const read = parseAndValidate(text);
  known.set(text, read);
  return read;
}

function parseAndValidate(text: string): Read {
  try {
    const document = parse(text);
    const errors = validate(linearSchema(), document);
    return errors.length > 0 ? { errors } : { document };
  } catch (error) {
    if (error instanceof GraphQLError) return { errors: [error] };
    throw error;
  }
}
