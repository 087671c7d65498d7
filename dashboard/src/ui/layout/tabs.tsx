/** Selects one of a few views of the same data. Arrow keys move, as the ARIA pattern requires. */
export function Tabs<T extends string>(props: {
  label: string;
  tabs: readonly { id: T; label: string; count?: number }[];
  selected: T;
  onSelect: (id: T) => void;
}) {
  const move = (event: KeyboardEvent & { currentTarget: HTMLElement }, by: number) => {
    const ids = props.tabs.map((tab) => tab.id);
    const next = ids.at((ids.indexOf(props.selected) + by) % ids.length);
    if (next === undefined) return;
    event.preventDefault();
    props.onSelect(next);
    const { currentTarget } = event;
    queueMicrotask(() =>
      currentTarget.querySelector<HTMLElement>(`[data-tab="${CSS.escape(next)}"]`)?.focus(),
    );
  };
  return (
    <div
      class="tabs"
      role="tablist"
      aria-label={props.label}
      onKeyDown={(event) => {
        if (event.key === 'ArrowRight') move(event, 1);
        else if (event.key === 'ArrowLeft') move(event, -1);
      }}
    >
      {props.tabs.map((tab) => (
        <button
          key={tab.id}
          type="button"
          role="tab"
          data-tab={tab.id}
          aria-selected={tab.id === props.selected}
          tabIndex={tab.id === props.selected ? 0 : -1}
          onClick={() => props.onSelect(tab.id)}
        >
          {tab.label}
          {tab.count !== undefined && <span class="count">{tab.count}</span>}
        </button>
      ))}
    </div>
  );
}
