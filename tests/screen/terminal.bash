# A terminal (tmux) for tests: what is on its page, and keys for it.

terminal_setup() {
	command -v tmux > /dev/null || skip "no tmux"
	dir=$BATS_TEST_TMPDIR
	socket=$dir/tmux
	printf 'set -g status off\nset -g history-limit 0\n' > "$dir/conf"
	type=screen-256color locale=C.UTF-8 extra=
}

terminal_teardown() {
	[ -S "$socket" ] && tmux -S "$socket" kill-server 2> /dev/null
	return 0
}

mux() {
	tmux -u -f "$dir/conf" -S "$socket" "$@"
}

# The program runs below a shell that notes its pid, and the terminal's settings before and after.
open() { # open COLUMNS LINES COMMAND
	cat > "$dir/run" <<-END
		trap : INT
		stty -a > $dir/before
		env -i PATH="$PATH" ${type+TERM=$type} LC_ALL=$locale TZ=UTC $extra \
			sh -c 'echo \$\$ > $dir/pid; exec $3'
		echo "status \$?"
		stty -a > $dir/after
		exec sleep 300
	END
	mux new-session -d -x "$1" -y "$2" "sh $dir/run"
}

# A server that ends and one that starts would share a socket for a moment: each has its own.
close() {
	mux kill-server
	socket=$dir/tmux-$RANDOM$RANDOM
}

keys() {
	mux send-keys "$@"
}

page() {
	mux capture-pane -p | sed -e 's/ *$//'
}

# Pages are drawn when they are drawn: all of these wait for what they want, and then fail.
sees() { # sees TEXT: it is on the page
	local _
	for _ in $(seq 100); do
		page | grep -qF -- "$1" && return 0
		sleep 0.1
	done
	echo "never seen: $1" >&2
	page >&2
	return 1
}

row() { # row N TEXT: line N of the page begins with it
	local _
	for _ in $(seq 100); do
		[[ $(page | sed -n "$1p") == "$2"* ]] && return 0
		sleep 0.1
	done
	echo "line $1 never began with: $2" >&2
	page >&2
	return 1
}

given_back() { # given_back TEXT: it ended, the terminal is as it was, and TEXT is there
	sees "status "
	sees "$1"
	cmp "$dir/before" "$dir/after"
	[ "$(mux display-message -p '#{alternate_on} #{cursor_flag} #{keypad_cursor_flag}')" = "0 1 0" ]
}
