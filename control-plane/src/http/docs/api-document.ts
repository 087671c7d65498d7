import { TAGS } from '../endpoint/tags.ts';
import { SHARED_REFUSALS } from '../endpoint/refusals.ts';

/** The document that a generator built from the routes, in either version. */
export type GeneratedDocument = {
  openapi: string;
  paths?: Record<string, object>;
  components?: object;
};
export type ApiDocument = { openapi: string; [key: string]: unknown };

/** The served document: adds what all operations have in common. */
export function apiDocument(generated: GeneratedDocument): ApiDocument {
  const document = {
    ...generated,
    servers: [{ url: '/', description: 'This service' }],
    tags: TAGS,
    security: [{}, { bearerAuth: [] }, { sessionCookie: [] }],
    components: {
      ...generated.components,
      responses: SHARED_REFUSALS,
      securitySchemes: {
        bearerAuth: {
          type: 'http',
          scheme: 'bearer',
          description: 'A token, for callers from other machines.',
        },
        sessionCookie: {
          type: 'apiKey',
          in: 'cookie',
          name: 'switchyard_session',
          description: 'Set by POST /api/v1/session, for the dashboard.',
        },
      },
    },
  };
  const plain = withoutPatternFlags(document);
  return generated.openapi.startsWith('3.0') ? withoutBareNullable(plain) : plain;
}

/** Flags after the closing slash of a former regular expression; a slash inside is escaped. */
const PATTERN_FLAGS = /(?<!\\)\/([a-z]+)$/;

/**
 * Removes flags that the generator writes into patterns, which then match nothing. `u` is implied
 * in JSON Schema; any other flag cannot be expressed there and throws a RangeError.
 */
function withoutPatternFlags<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(withoutPatternFlags) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]: [string, unknown]) => {
    if (key !== 'pattern' || typeof inner !== 'string') return [key, withoutPatternFlags(inner)];
    const flags = PATTERN_FLAGS.exec(inner)?.[1] ?? '';
    if (!/^u?$/.test(flags)) throw new RangeError(`a pattern cannot say the flags of ${inner}`);
    return [key, inner.replace(PATTERN_FLAGS, '')];
  });
  return Object.fromEntries(entries) as Value;
}

/** In OpenAPI 3.0 `nullable` has no effect without `type`: such a schema allows null anyway. */
function withoutBareNullable<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(withoutBareNullable) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(
    ([key, inner]) => !(key === 'nullable' && typeof inner === 'boolean' && !('type' in value)),
  );
  return Object.fromEntries(
    entries.map(([key, inner]) => [key, withoutBareNullable(inner)]),
  ) as Value;
}

/** The document's `info` object. */
export function documentInfo(version: string) {
  return {
    title: 'Switchyard',
    // Without the commit, so that documents and generated clients do not change with every build.
    version: version.replace(/\+.*/, ''),
    description: 'From an issue to a reviewed pull request, on machines you own.',
    license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
  };
}
