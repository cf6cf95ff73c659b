// Scripts and pages that are imported as text (scripts/script-text.mjs).

/** The script of a thread, with all that it imports. */
declare module '*?thread' {
  const script: string;
  export default script;
}

declare module '*.pl' {
  const script: string;
  export default script;
}

/** Reads a table. */
declare module '*.table?file' {
  const read: () => string;
  export default read;
}

/** A table, as it is. */
declare module '*.table' {
  const table: string;
  export default table;
}

/** A page, as it is. */
declare module '*.html' {
  const page: string;
  export default page;
}

/** A page for a terminal, as it is. */
declare module '*.txt' {
  const page: string;
  export default page;
}

/** Statements, as they are. */
declare module '*.sql' {
  const statements: string;
  export default statements;
}
