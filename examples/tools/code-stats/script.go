// Counts files and lines by language.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

const (
	maxFiles    = 50_000
	maxFileSize = 10 << 20
	maxLargest  = 10
	sniffBytes  = 8192
)

var skipped = map[string]bool{"node_modules": true, "vendor": true, "dist": true, "build": true, "target": true}

var languages = map[string]string{
	".bash": "Shell", ".c": "C", ".cc": "C++", ".cpp": "C++", ".cs": "C#", ".css": "CSS", ".dart": "Dart", ".ex": "Elixir",
	".go": "Go", ".h": "C", ".hpp": "C++", ".hs": "Haskell", ".html": "HTML", ".java": "Java", ".js": "JavaScript",
	".json": "JSON", ".jsx": "JavaScript", ".kt": "Kotlin", ".lua": "Lua", ".md": "Markdown", ".mjs": "JavaScript",
	".php": "PHP", ".pl": "Perl", ".ps1": "PowerShell", ".py": "Python", ".rb": "Ruby", ".rs": "Rust", ".scala": "Scala",
	".scss": "CSS", ".sh": "Shell", ".sql": "SQL", ".svelte": "Svelte", ".swift": "Swift", ".toml": "TOML",
	".ts": "TypeScript", ".tsx": "TypeScript", ".vue": "Vue", ".yaml": "YAML", ".yml": "YAML", ".zig": "Zig",
}

type input struct {
	Path          string `json:"path"`
	WorkspacePath string `json:"workspacePath"`
}

type count struct {
	Language string `json:"language"`
	Files    int    `json:"files"`
	Lines    int    `json:"lines"`
	Blank    int    `json:"blank"`
	Bytes    int64  `json:"bytes"`
}

type file struct {
	Path  string `json:"path"`
	Lines int    `json:"lines"`
}

var errEnough = errors.New("enough files")

func main() {
	output, err := run(os.Stdin)
	if err != nil {
		output = map[string]any{"error": err.Error()}
	}
	json.NewEncoder(os.Stdout).Encode(output)
}

func run(stdin io.Reader) (map[string]any, error) {
	var in input
	if err := json.NewDecoder(stdin).Decode(&in); err != nil {
		return nil, err
	}
	root, start, err := resolve(in)
	if err != nil {
		return nil, err
	}
	counts, files, truncated, err := walk(root, start)
	if err != nil {
		return nil, err
	}
	return report(counts, files, truncated), nil
}

// resolve returns the real paths of the workspace and of the directory, which must lie in it.
func resolve(in input) (string, string, error) {
	if in.WorkspacePath == "" {
		in.WorkspacePath = "."
	}
	root, err := filepath.EvalSymlinks(in.WorkspacePath)
	if err != nil {
		return "", "", err
	}
	if root, err = filepath.Abs(root); err != nil {
		return "", "", err
	}
	path := in.Path
	if !filepath.IsAbs(path) {
		path = filepath.Join(root, path)
	}
	start, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", "", fmt.Errorf("%s cannot be opened", in.Path)
	}
	below, err := filepath.Rel(root, start)
	if err != nil || below == ".." || strings.HasPrefix(below, "../") {
		return "", "", fmt.Errorf("%s is outside of the workspace", in.Path)
	}
	return root, start, nil
}

// walk follows no links, and passes over what cannot be read.
func walk(root, start string) (map[string]*count, []file, bool, error) {
	counts := map[string]*count{}
	files := []file{}
	seen := 0
	err := filepath.WalkDir(start, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		name := entry.Name()
		if entry.IsDir() {
			if path != start && (strings.HasPrefix(name, ".") || skipped[name]) {
				return fs.SkipDir
			}
			return nil
		}
		language, known := languages[strings.ToLower(filepath.Ext(name))]
		if !known || !entry.Type().IsRegular() {
			return nil
		}
		if seen++; seen > maxFiles {
			return errEnough
		}
		lines, blank, size, ok := countLines(path)
		if !ok {
			return nil
		}
		if counts[language] == nil {
			counts[language] = &count{Language: language}
		}
		total := counts[language]
		total.Files++
		total.Lines += lines
		total.Blank += blank
		total.Bytes += size
		below, _ := filepath.Rel(root, path)
		files = append(files, file{filepath.ToSlash(below), lines})
		return nil
	})
	if err != nil && err != errEnough {
		return nil, nil, false, err
	}
	return counts, files, err == errEnough, nil
}

// countLines returns false for a file that is too large, binary or cannot be read.
func countLines(path string) (lines, blank int, size int64, ok bool) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxFileSize {
		return 0, 0, 0, false
	}
	content, err := os.ReadFile(path)
	head := content
	if len(head) > sniffBytes {
		head = head[:sniffBytes]
	}
	if err != nil || bytes.IndexByte(head, 0) >= 0 {
		return 0, 0, 0, false
	}
	for _, line := range bytes.Split(bytes.TrimSuffix(content, []byte("\n")), []byte("\n")) {
		lines++
		if len(bytes.TrimSpace(line)) == 0 {
			blank++
		}
	}
	if len(content) == 0 {
		return 0, 0, 0, true
	}
	return lines, blank, int64(len(content)), true
}

func report(counts map[string]*count, files []file, truncated bool) map[string]any {
	totals := []*count{}
	for _, total := range counts {
		totals = append(totals, total)
	}
	sort.Slice(totals, func(i, j int) bool {
		if totals[i].Lines != totals[j].Lines {
			return totals[i].Lines > totals[j].Lines
		}
		return totals[i].Language < totals[j].Language
	})
	sort.SliceStable(files, func(i, j int) bool { return files[i].Lines > files[j].Lines })
	if len(files) > maxLargest {
		files = files[:maxLargest]
	}
	columns := []map[string]string{}
	for _, key := range []string{"language", "files", "lines", "blank", "bytes"} {
		columns = append(columns, map[string]string{"key": key, "label": strings.ToUpper(key[:1]) + key[1:]})
	}
	return map[string]any{
		"languages":      totals,
		"largest":        files,
		"truncated":      truncated,
		"_visualization": map[string]any{"type": "table", "columns": columns, "rows": totals},
	}
}
