type Paging = { first?: number | null; after?: string | null };

/** A page of rows as Linear gives it; the cursor is the id of the last row, which stays valid. */
export function connection<Row extends { id: string }, Node>(
  rows: readonly Row[],
  { first, after }: Paging,
  toNode: (row: Row) => Node,
) {
  const from = after ? rows.findIndex((row) => row.id === after) + 1 : 0;
  const size = Math.min(first ?? 50, 250);
  const page = rows.slice(from, from + size);
  const pageInfo = {
    hasNextPage: from + size < rows.length,
    hasPreviousPage: from > 0,
    startCursor: page[0]?.id ?? null,
    endCursor: page.at(-1)?.id ?? null,
  };
  return { nodes: page.map(toNode), pageInfo };
}

const COMPARATORS: Record<string, (value: unknown, wanted: never) => boolean> = {
  eq: (value, wanted) => value === wanted,
  in: (value, wanted: unknown[]) => wanted.includes(value),
  eqIgnoreCase: (value, wanted: string) => text(value).toLowerCase() === wanted.toLowerCase(),
  gt: (value, wanted) => text(value) > new Date(wanted).toISOString(),
  gte: (value, wanted) => text(value) >= new Date(wanted).toISOString(),
};

/** Whether a value passes one of Linear's filters; unknown parts of a filter are an error. */
export function passes(value: unknown, filter: object | null | undefined): boolean {
  return Object.entries(filter ?? {}).every(([key, wanted]: [string, unknown]) => {
    if (key === 'or') return (wanted as object[]).some((each) => passes(value, each));
    if (key === 'and') return (wanted as object[]).every((each) => passes(value, each));
    const compare = COMPARATORS[key];
    if (compare !== undefined && !isObject(value)) return compare(value, wanted as never);
    if (!isObject(wanted)) throw new Error(`the fake knows no filter ${key}`);
    return isObject(value) && passes(value[key] ?? null, wanted);
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
