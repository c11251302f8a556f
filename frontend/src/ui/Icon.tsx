/** Own 16 px symbols, drawn with the current text colour. Decorative: the words beside them carry the meaning. */
const PATHS = {
  search: "M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9Zm3.3 7.8 3.2 3.2",
  chevronRight: "m6 3.5 4.5 4.5L6 12.5",
  chevronDown: "m3.5 6 4.5 4.5L12.5 6",
  chevronLeft: "M10 3.5 5.5 8l4.5 4.5",
  close: "m4 4 8 8m0-8-8 8",
  copy: "M6 6h7v7H6zM3 10V3h7",
  check: "m3 8.5 3.2 3.2L13 5",
  refresh: "M13 8a5 5 0 1 1-1.5-3.5M13 2.5v3h-3",
  sun: "M8 5.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6ZM8 1.5v1.4m0 10.2v1.4M1.5 8h1.4m10.2 0h1.4M3.4 3.4l1 1m7.2 7.2 1 1m0-9.2-1 1m-7.2 7.2-1 1",
  moon: "M13 9.6A5.5 5.5 0 0 1 6.4 3 5.5 5.5 0 1 0 13 9.6Z",
  system: "M2.5 3.5h11v7.5h-11zM6 13.5h4",
  user: "M8 2.8a2.6 2.6 0 1 1 0 5.2 2.6 2.6 0 0 1 0-5.2ZM3 13.5c.6-2.6 2.5-4 5-4s4.4 1.4 5 4",
  table: "M2.5 3h11v10h-11zM2.5 6.500h11M6.5 6.500V13",
  view: "M1.500 8c3.500-5.300 9.500-5.300 13 0-3.500 5.300-9.500 5.300-13 0ZM8 6.300a1.700 1.700 0 1 1 0 3.400 1.700 1.700 0 0 1 0-3.400Z",
  files: "M5.500 2.500h4L12.500 5.500v6h-7zM9.500 2.500v3h3M3.500 5v8.500h6.500",
  objects:
    "M2.500 3h11v10h-11zM5.500 5.200a1 1 0 1 1 0 2 1 1 0 0 1 0-2ZM2.500 11.500l3.500-3 2 1.800 3-3.300 2.500 2.500",
  materialized:
    "M2.500 3h11v10h-11zM2.500 6.500h11M10.500 9.700a2.200 2.200 0 1 1-.7-1.500M10.600 7.600v1.300H9.300",
  foreign: "M7 3H2.500v10h11V9M9.500 2.500h4v4M13.500 2.500 8 8",
  database:
    "M3 4.200c0-2.3 10-2.3 10 0v7.600c0 2.3-10 2.3-10 0zM3 4.200c0 2.3 10 2.3 10 0M3 8c0 2.3 10 2.3 10 0",
  warehouse: "M2 6.5 8 3l6 3.500V13H2zM5 13V8.500h6V13",
  jobs: "M8 2.500a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11ZM8 5v3.300l2.2 1.3",
  sidebar: "M2.5 3h11v10h-11zM6 3v10",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  columns: "M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10",
  download: "M8 2.500v7.500m-3-3 3 3 3-3M3 13h10",
  play: "M5 3.500v9l7-4.500z",
  pause: "M5.5 3.500v9m5-9v9",
  link: "M6.7 9.300a2.5 2.5 0 0 0 3.5 0l2.3-2.300a2.5 2.5 0 0 0-3.5-3.500l-.8.8M9.3 6.700a2.5 2.5 0 0 0-3.5 0L3.5 9a2.5 2.5 0 0 0 3.5 3.500l.8-.8",
  warning: "M8 2.5 14.2 13H1.800zM8 6.500v3m0 1.800v.01",
  info: "M8 2.500a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11ZM8 7.200v3.500M8 5.200v.01",
  stop: "M5.5 2h5L14 5.500v5L10.5 14h-5L2 10.500v-5zM5 8h6",
  plus: "M8 3v10M3 8h10",
  star: "m8 2.500 1.700 3.600 3.900.5-2.900 2.700.800 3.900L8 11.300l-3.500 1.900.8-3.900L2.400 6.600l3.900-.5z",
  lock: "M4 7.500h8v6H4zM5.5 7.500V5.300a2.5 2.5 0 0 1 5 0v2.2",
} as const;

export type IconName = keyof typeof PATHS;
export const ICON_NAMES = Object.keys(PATHS) as readonly IconName[];

export function Icon({ name }: { name: IconName }) {
  return (
    <svg
      width="16"
      height="16"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
