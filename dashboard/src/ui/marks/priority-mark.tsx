export const PRIORITIES = [
  { value: 0, label: 'No priority' },
  { value: 1, label: 'Urgent' },
  { value: 2, label: 'High' },
  { value: 3, label: 'Medium' },
  { value: 4, label: 'Low' },
] as const;

/** Bars for a priority: four for urgent, one for low; nothing without a priority. */
export function PriorityMark({ priority }: { priority: number | null }) {
  const known = PRIORITIES.find((entry) => entry.value === priority && entry.value > 0);
  if (known === undefined) return null;
  const bars = 5 - known.value;
  return (
    <span class={`priority priority-${known.value}`} title={`Priority: ${known.label}`}>
      <svg width="14" height="12" viewBox="0 0 14 12" aria-hidden="true">
        {[0, 1, 2, 3].map((bar) => (
          <rect
            key={bar}
            class={bar < bars ? 'on' : ''}
            x={bar * 3.5}
            y={9 - bar * 3}
            width="2.5"
            height={3 + bar * 3}
            rx="1"
          />
        ))}
      </svg>
      <span class="visually-hidden">Priority {known.label}</span>
    </span>
  );
}
