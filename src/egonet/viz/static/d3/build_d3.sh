#!/usr/bin/env sh
# Builds d3.min.js: the few parts of d3 that the explorer uses, in one minified file. Needs node and npm.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent esbuild@0.28.2 d3-drag@3.0.1 d3-force@3.0.1 d3-selection@3.0.1 d3-zoom@3.0.1
cat >entry.mjs <<'JS'
export { drag } from "d3-drag";
export { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY } from "d3-force";
export { select } from "d3-selection";
export { zoom, zoomIdentity } from "d3-zoom";
JS
npx esbuild entry.mjs --bundle --minify --format=iife --global-name=d3 --legal-comments=none --outfile="$here/d3.min.js"
