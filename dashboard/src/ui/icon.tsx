/** Paths on a 16 × 16 grid, drawn with a 1.5 stroke in the text's colour. */
const PATHS = {
  board: 'M2.5 3.5h3v9h-3zM6.8 3.5h3v6h-3zM11 3.5h2.5v7.5H11z',
  inbox: 'M2.5 9.5 4.5 3h7l2 6.5v3.5h-11zM2.5 9.5H6a2 2 0 0 0 4 0h3.5',
  runner: 'M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.01M5 11h.01M8 5h3M8 11h3',
  pull: 'M4.5 5.5v5M4.5 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM4.5 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11.5 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11.5 10.5V6a2 2 0 0 0-2-2H8M9.5 2 7.5 4l2 2',
  setup:
    'M2.5 4.5h6M11.5 4.5h2M10 6a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM2.5 11.5h2M7.5 11.5h6M6 13a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3z',
  plus: 'M8 3v10M3 8h10',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3l3.2 3.2',
  close: 'M4 4l8 8M12 4l-8 8',
  chevron: 'M6 4l4 4-4 4',
  down: 'M8 3v10M4 9l4 4 4-4',
  back: 'M10 4 6 8l4 4',
  copy: 'M6 6h7v7H6zM3 10V3h7',
  check: 'M3.5 8.5l3 3 6-7',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M3.4 12.6l.7-.7M11.9 4.1l.7-.7',
  moon: 'M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z',
  system: 'M2.5 3h11v7.5h-11zM6 13h4M8 10.5V13',
  warning: 'M8 2.5 14 13H2zM8 6.5v3M8 11.2h.01',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  stop: 'M4 4h8v8H4z',
  retry: 'M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3',
  link: 'M6.5 3.5h-3v9h9v-3M9 3h4v4M13 3 7.5 8.5',
  branch:
    'M4.5 5.5v5M4.5 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM4.5 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11.5 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11.5 5.5c0 3-7 2-7 5',
  command: 'M3 4.5 6.5 8 3 11.5M8 12h5',
  file: 'M4 2.5h5l3 3v8H4zM9 2.5v3h3M6 9h4M8 7v4',
  message: 'M2.5 3.5h11v7.5H7l-3 2.5V11H2.5z',
  thought: 'M8 2.5a4 4 0 0 1 2.2 7.3V11H5.8V9.8A4 4 0 0 1 8 2.5zM6.3 13.5h3.4',
  tool: 'M10.5 2.8a3 3 0 0 0-3 4L2.8 11.5l1.7 1.7L9.2 8.5a3 3 0 0 0 4-3.8L11.5 6.5 9.7 6.3l-.2-1.8z',
  person: 'M8 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM3 13.5c.5-5 9.5-5 10 0',
  plan: 'M3 4h.01M3 8h.01M3 12h.01M6 4h7M6 8h7M6 12h7',
  dot: 'M8 9.2a1.2 1.2 0 1 0 0-2.4 1.2 1.2 0 0 0 0 2.4z',
  // The statuses: each a shape of its own, so that none needs its colour to be told apart.
  idle: 'M8 13a5 5 0 1 0 0-10 5 5 0 0 0 0 10z',
  queued: 'M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM8 5v3.2l2 1.3',
  running: 'M8 2.5A5.5 5.5 0 1 1 3.2 5.3M6.5 5.5 10.5 8l-4 2.5z',
  retrying: 'M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3',
  blocked: 'M5.5 2.5h5l3 3v5l-3 3h-5l-3-3v-5zM5.5 8h5',
  completed: 'M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM5.5 8.2l1.8 1.8 3.2-3.8',
  failed: 'M8 2 14 8l-6 6-6-6zM6.3 6.3l3.4 3.4M9.7 6.3 6.3 9.7',
  cancelled: 'M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM4.2 4.2l7.6 7.6',
  asking:
    'M2.5 3.5h11v7.5H7l-3 2.5V11H2.5zM6.7 6.2c.2-1.6 2.7-1.5 2.6.1 0 .9-1.3 1-1.3 1.8M8 9.3h.01',
} as const;

export type IconName = keyof typeof PATHS;

/** A decorative mark; what it means must also stand beside it in words. */
export function Icon({
  name,
  size = 16,
  class: className = '',
}: {
  name: IconName;
  size?: number;
  class?: string;
}) {
  return (
    <svg
      class={`icon icon-${name} ${className}`}
      width={size}
      height={size}
      viewBox="0 0 16 16"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
