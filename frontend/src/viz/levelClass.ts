import styles from "./Viz.module.css";

/** The class that gives a level its colour; levels from 5 on share the coolest. */
export function levelClass(level: number): string {
  return styles[`level${Math.min(5, Math.max(0, level))}`] ?? "";
}

/** The name of the token with a level's colour, for canvas. */
export function levelToken(level: number): string {
  return `--level-${Math.min(5, Math.max(0, level))}`;
}
