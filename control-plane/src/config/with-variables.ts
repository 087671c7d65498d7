import { type JsonObject, isJsonObject } from './values/json-object.ts';

const VARIABLE = /^\$([A-Za-z_][A-Za-z0-9_]*)$/;
const DROPPED = Symbol('dropped');

/**
 * Replaces values that are exactly `$NAME`. An unset or empty variable counts as missing, and its
 * key is left out. Hooks are shell scripts and keep their dollar signs; `$SECRET:NAME` is no
 * variable.
 */
export function withVariables(
  config: JsonObject,
  variables: Readonly<Record<string, string | undefined>>,
): { value: JsonObject; missing: string[] } {
  const missing: string[] = [];
  const replace = (value: unknown): unknown => {
    if (typeof value === 'string') {
      const name = VARIABLE.exec(value)?.[1];
      if (name === undefined) return value;
      const found = Object.hasOwn(variables, name) ? variables[name] : undefined;
      if (found !== undefined && found !== '') return found;
      missing.push(name);
      return DROPPED;
    }
    if (Array.isArray(value)) return value.map(replace).filter((item) => item !== DROPPED);
    return isJsonObject(value) ? replaceIn(value) : value;
  };
  const replaceIn = (source: JsonObject): JsonObject => {
    const pairs = Object.entries(source).map(([key, value]) => [key, replace(value)] as const);
    return Object.fromEntries(pairs.filter(([, value]) => value !== DROPPED));
  };
  const { hooks, ...others } = config;
  const value = replaceIn(others);
  return { value: hooks === undefined ? value : { ...value, hooks }, missing };
}
