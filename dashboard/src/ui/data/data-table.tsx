import type { ComponentChildren } from 'preact';

export type TableColumn<T> = {
  name: string;
  cell: (row: T) => ComponentChildren;
  /** Numbers stand at the right, in figures of one width. */
  numeric?: boolean;
  /** Left out where the window is narrow. */
  wide?: boolean;
};

/** Rows of facts with named columns; `label` says to screen readers what they are. */
export function DataTable<T>(props: {
  label: string;
  rows: readonly T[];
  columns: readonly TableColumn<T>[];
  rowKey: (row: T) => string | number;
}) {
  const look = (column: TableColumn<T>) =>
    [column.numeric && 'numeric', column.wide && 'wide-only'].filter(Boolean).join(' ');
  return (
    <div class="data-table panel" tabIndex={0} role="region" aria-label={props.label}>
      <table>
        <thead>
          <tr>
            {props.columns.map((column) => (
              <th key={column.name} scope="col" class={look(column)}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row) => (
            <tr key={props.rowKey(row)}>
              {props.columns.map((column) => (
                <td key={column.name} class={look(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
